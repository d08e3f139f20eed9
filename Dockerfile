# readtrack in a container: docs/operating.md, "In a container". It writes to /data, /backups and /tmp only.

# The Python that the tests run on.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY requirements-build.txt .
RUN pip install --no-cache-dir --require-hashes --requirement requirements-build.txt
COPY . .
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .
RUN python -m venv --without-pip /opt/readtrack \
 && pip --python /opt/readtrack install --no-cache-dir --require-hashes --only-binary :all: --requirement requirements.txt \
 && pip --python /opt/readtrack install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM python:3.11-slim-bookworm
RUN install --directory --owner=10001 --group=10001 --mode=700 /data /backups
COPY --from=build /opt/readtrack /opt/readtrack
ENV PATH=/opt/readtrack/bin:$PATH \
    READTRACK_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000
# While a large library is upgraded, nothing answers yet.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m \
  CMD ["python", "-c", "from http.client import HTTPConnection as C; c = C('127.0.0.1', 8000, timeout=4); c.request('GET', '/healthz'); exit(c.getresponse().status != 200)"]
ENTRYPOINT ["readtrack"]
CMD ["serve", "--host", "0.0.0.0"]
