"""What texts name: papers and topics by `[[title]]`, an identifier or an address; and where that is said of each."""
