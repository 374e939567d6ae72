/** Clients that send sequential requests on keep-alive connections. */
import { Agent, request } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

export interface Outcomes {
  answered: number;
  /** Number of clients that got a response. */
  served: number;
  /** Requests answered with 503 and Retry-After because PostgreSQL accepted no connection in time. They were retried. */
  unavailable: number;
  /** No connection was made, so nothing was sent. */
  refused: number;
  /** Requests without a complete response, or with a wrong response: the reasons. */
  lost: string[];
}

const bodies = [
  undefined,
  { name: "Pump", type: "pump" },
  { query: 'mutation { createAsset(input: { name: "Pump", type: "pump" }) { id } }' },
  { query: "{ assets(first: 5) { nodes { id name components(first: 5) { nodes { id } } } } }" },
];
const paths = ["/assets?limit=5", "/assets", "/graphql", "/graphql"];

/** Resolves with "answered", "refused", "unavailable", or what was wrong. */
function send(url: string, key: string, agent: Agent, kind: number): Promise<string> {
  return new Promise((resolve) => {
    const body = bodies[kind] && JSON.stringify(bodies[kind]);
    const sent = request(
      `${url}${paths[kind]}`,
      {
        agent,
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json", "content-length": body.length }) },
      },
      async (response) => {
        try {
          let text = "";
          for await (const chunk of response) text += chunk;
          const isGood = response.complete && [200, 201].includes(response.statusCode!) && !JSON.parse(text).errors;
          if (response.complete && response.statusCode === 503 && response.headers["retry-after"]) resolve("unavailable");
          else resolve(isGood ? "answered" : `${response.statusCode} ${text.slice(0, 200)}`);
        } catch (error) {
          resolve(`cut off: ${error}`);
        }
      },
    );
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isRefused = error.code === "ECONNREFUSED" && !sent.reusedSocket;
      resolve(isRefused ? "refused" : `${error.code ?? error.message}${sent.reusedSocket ? " on a kept connection" : ""}`);
    });
    sent.end(body);
  });
}

/** Lets `count` clients send requests until they are refused or stopped. Some pause between requests. */
export function startClients(url: string, key: string, count: number): { outcomes: Outcomes; ended: Promise<void>; stop: () => void } {
  const outcomes: Outcomes = { answered: 0, served: 0, unavailable: 0, refused: 0, lost: [] };
  let isStopped = false;
  const work = async (client: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = client; !isStopped; i++) {
      let outcome: string;
      do {
        // If this process was delayed, the service may have closed the connection meanwhile. The end of the connection is read one
        // event-loop turn after the last response.
        await nextTurn();
        await nextTurn();
        outcome = await send(url, key, agent, i % paths.length);
        if (outcome === "unavailable") outcomes.unavailable++;
      } while (outcome === "unavailable");
      if (outcome === "refused") {
        outcomes.refused++;
        break;
      }
      if (i === client) outcomes.served++;
      if (outcome === "answered") outcomes.answered++;
      else outcomes.lost.push(outcome);
      if (client % 4 === 0) await sleep(client * 10);
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: count }, (_, client) => work(client))).then(() => {});
  return { outcomes, ended, stop: () => void (isStopped = true) };
}
