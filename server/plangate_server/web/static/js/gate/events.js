/** Server-sent events out of bytes. The browser's own reader cannot send the header that signs in. */

export async function* eventsOf(body, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const event = eventOf(part);
      if (event) yield event;
    }
  }
}

function eventOf(part) {
  const fields = { event: "", id: null, data: "" };
  for (const line of part.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return fields.event && { kind: fields.event, id: fields.id, body: JSON.parse(fields.data) };
}
