// API keys: the demo's, the one stored on request, and the one entered last.

export const PLACEHOLDER = "Bearer <API_KEY>";

async function readDemoKey() {
  const response = await fetch("/explorer/settings.json");
  return response.ok ? (await response.json()).demoKey : null;
}

function storedAuthorization() {
  try {
    return JSON.parse(localStorage.getItem("graphiql:headers")).Authorization;
  } catch {
    return undefined; // Nothing stored, or invalid JSON that the user is typing.
  }
}

export const demoKey = await readDemoKey();

let last;
let keyEntered;

/** Resolves once a key is available. */
export const firstKey = new Promise((resolve) => {
  keyEntered = resolve;
});

export const lastAuthorization = () => last;

export function remember(authorization) {
  if (!authorization || authorization === PLACEHOLDER) return;
  last = authorization;
  keyEntered();
}

remember(storedAuthorization() ?? (demoKey ? `Bearer ${demoKey}` : undefined));
