/**
 * Service worker of the console: without a connection, pages load from the files of the last visit. The service's data does not pass
 * through it (src/session/kept-data.ts). A new version takes over when all tabs of the earlier one are closed, so that a tab finds the files
 * of its own version.
 */
declare const self: ServiceWorkerGlobalScope;

/** The built files, and a hash of their names. Inserted by scripts/build-console.mjs. */
declare const BUILD: { version: string; files: string[] };

const page = "/console/";
const prefix = "console ";
const name = prefix + BUILD.version;

/** Time after which a page is taken from the cache, in milliseconds. */
const patience = 4_000;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll([page, ...BUILD.files])));
});

self.addEventListener("activate", (event) => {
  const isOld = (key: string) => key.startsWith(prefix) && key !== name;
  const removed = caches.keys().then((keys) => Promise.all(keys.filter(isOld).map((key) => caches.delete(key))));
  event.waitUntil(removed.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(page)) return;
  if (request.mode === "navigate") event.respondWith(pageOf(request));
  else if (pathname.startsWith(`${page}assets/`)) event.respondWith(kept(request).then((response) => response ?? fetch(request)));
});

const kept = async (request: Request | string): Promise<Response | undefined> => (await caches.open(name)).match(request);

/** The page from the service, or else from the cache: also if a proxy reports that the service is away. */
async function pageOf(request: Request): Promise<Response> {
  const response = await fetch(request, { signal: AbortSignal.timeout(patience) }).catch(() => undefined);
  if (response && response.status < 500) return response;
  return (await kept(page)) ?? response ?? Response.error();
}

export {};
