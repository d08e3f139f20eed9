// The parts of readtrack's API that the extension needs.

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Api {
  constructor({ address, token }) {
    this.address = address;
    this.token = token;
  }

  /** The person whose token it is. */
  getMe() {
    return this.#request("/me");
  }

  /** The paper at an address, with everyone's readings; null if the library does not have it. */
  async findPaper(url) {
    const { identifier, paper } = await this.#request(`/papers/lookup?identifier=${encodeURIComponent(url)}`);
    if (!paper) return { identifier, paper: null, readings: [] };
    const { items } = await this.#request(`/papers/${paper.id}/readings`);
    return { identifier, paper, readings: items };
  }

  /** Add a paper, or change the status and topics of a known one. */
  savePaper({ url, title, status, topics }) {
    const body = { identifier: url, topics };
    if (title) body.title = title;
    if (status) body.status = status;
    return this.#request("/papers", { method: "POST", body: JSON.stringify(body) });
  }

  async #request(path, options = {}) {
    const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
    const response = await fetch(`${this.address}/api/v1${path}`, { ...options, headers, credentials: "omit" });
    const isJson = response.headers.get("content-type")?.includes("json");
    const body = isJson ? await response.json() : null;
    if (!response.ok) throw new ApiError(response.status, body?.detail ?? response.statusText);
    if (!body) throw new ApiError(404, response.statusText);
    return body;
  }
}
