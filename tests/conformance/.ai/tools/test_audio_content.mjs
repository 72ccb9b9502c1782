/** Returns a sound of one sample. */
export function main() {
  return { content: [{ type: "audio", data: "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=", mimeType: "audio/wav" }] };
}
