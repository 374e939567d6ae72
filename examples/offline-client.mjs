/**
 * An offline-capable client without dependencies. It keeps a copy of the assets, queues changes, and synchronizes.
 *      node examples/offline-client.mjs http://127.0.0.1:4000 mg_… copy.json
 * The cost of a synchronization depends on the changes since the last one, not on the number of records. Each queued change is sent with an
 * idempotency key, so a change whose response was lost is not repeated. It also carries the version it is based on, so it cannot overwrite
 *  another client's change.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const changes = `query ($token: String) {
  changesSince(token: $token, recordTypes: [ASSET], first: 500) {
    records { recordId record { ... on Asset { id name status site version } } }
    nextToken hasMore
  }
}`;

const update = `mutation ($id: ID!, $input: UpdateAssetInput!, $expectedVersion: Int) {
  updateAsset(id: $id, input: $input, expectedVersion: $expectedVersion) { id name status site version }
}`;

export class OfflineClient {
  constructor(url, key, file) {
    this.url = `${url}/graphql`;
    this.key = key;
    this.file = file;
    const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    this.assets = new Map(kept.assets);
    this.queue = kept.queue ?? [];
    this.token = kept.token;
  }

  /** Changes the local copy of an asset. The next `catchUp` sends the change to the service. */
  change(id, input) {
    const asset = this.assets.get(id);
    this.queue.push({ id, input, expectedVersion: asset.version, idempotencyKey: randomUUID() });
    this.assets.set(id, { ...asset, ...input });
    this.save();
  }

  /** Sends queued changes, then reads what changed. Returns the rejected changes, each with the error's extensions. */
  async catchUp() {
    const refused = await this.send();
    await this.read();
    return refused;
  }

  async send() {
    const refused = [];
    while (this.queue.length) {
      const { idempotencyKey, ...change } = this.queue[0];
      const { data, errors } = await this.ask(update, change, { idempotencyKey });
      // Later changes of the same asset are based on this version. After a conflict, the read below brings the other client's change.
      if (errors) refused.push({ ...change, extensions: errors[0].extensions });
      else for (const later of this.queue) if (later.id === change.id) later.expectedVersion = data.updateAsset.version;
      this.queue.shift();
      this.save();
    }
    return refused;
  }

  async read() {
    let hasMore = true;
    while (hasMore) {
      const { data, errors } = await this.ask(changes, { token: this.token });
      if (errors?.[0].extensions.code === "RESYNC_REQUIRED") {
        this.assets.clear();
        this.token = undefined;
        continue;
      }
      if (errors) throw new Error(errors[0].message);
      for (const { recordId, record } of data.changesSince.records) {
        if (record) this.assets.set(recordId, record);
        else this.assets.delete(recordId);
      }
      this.token = data.changesSince.nextToken;
      hasMore = data.changesSince.hasMore;
      this.save();
    }
  }

  async ask(query, variables, extensions) {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ query, variables, extensions }),
    });
    if (response.status >= 500 || response.status === 429) throw new Error(`the service answered ${response.status}; try again later`);
    return response.json();
  }

  save() {
    writeFileSync(this.file, JSON.stringify({ assets: [...this.assets], queue: this.queue, token: this.token }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [url, key, file] = process.argv.slice(2);
  const client = new OfflineClient(url, key, file);
  const refused = await client.catchUp();
  console.log(`${client.assets.size} assets, ${refused.length} changes refused`);
}
