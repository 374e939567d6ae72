/** Names of metadata that identifies the location, device or owner of a photo. */

const names =
  /gps[\w :=-]|geo(tag|loc)|\blat\b|\blon\b|latitude|longitude|altitude|location|coordinate|serial|owner|maker_?note|address|city|country|province/i;

/** Removes zero bytes, so that text in UTF-16 matches too. */
export const isTelling = (data: Buffer | string): boolean =>
  names.test((typeof data === "string" ? data : data.toString("latin1")).replaceAll("\0", ""));

const emptyPacket = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>';

/** Blanks an XMP packet with identifying data. The length does not change, because packets may be padded with spaces. */
export function cleanXmp(packet: Buffer): void {
  if (!isTelling(packet)) return;
  packet.fill(" ");
  if (packet.length >= emptyPacket.length) packet.write(emptyPacket, "latin1");
}
