import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll } from "vitest";

export interface Arrived {
  to: string[];
  text: string;
}

/** A mail server. `answer` returns the error code for a recipient, or undefined to accept it. */
export async function mailServer(answer: (n: number) => number | undefined = () => undefined) {
  const arrived: Arrived[] = [];
  let asked = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onRcptTo(_address, _session, done) {
      const code = answer(++asked);
      done(code === undefined ? undefined : Object.assign(new Error("no"), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        arrived.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));
  return { arrived, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` };
}
