// How the page sends operations: as JSON, as a form with files, and over WebSocket.
import { getOperationAST, Kind, OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws/client";
import { files, status } from "./store.js";

const FORBIDDEN = 4403;

const failure = (message) => ({ errors: [{ message }] });

async function post(body, headers) {
  let response;
  try {
    response = await fetch("/graphql", { method: "POST", body, headers });
    return await response.json();
  } catch {
    return failure(
      response
        ? `The answer is not GraphQL's: ${response.status} ${response.statusText}`
        : "The service does not answer. Is it running, and reachable from here?",
    );
  }
}

/** Returns the variables that take files, as `{ name, isList, isRequired }`. */
export function uploadsOf(operation) {
  return (operation?.variableDefinitions ?? []).flatMap(({ variable, type, defaultValue }) => {
    const isRequired = type.kind === Kind.NON_NULL_TYPE && !defaultValue;
    let inner = type;
    let isList = false;
    while (inner.type) {
      isList ||= inner.kind === Kind.LIST_TYPE;
      inner = inner.type;
    }
    return inner.name.value === "Upload" ? [{ name: variable.name.value, isList, isRequired }] : [];
  });
}

/** Sends a GraphQL multipart request. */
function postForm({ variables, ...params }, uploads, headers) {
  const chosen = files.get();
  const missing = uploads.find(({ name, isRequired }) => isRequired && !chosen[name]);
  if (missing) return failure(`Choose a file for $${missing.name}, below the query.`);

  const sent = { ...variables };
  const map = {};
  const parts = [];
  for (const { name, isList } of uploads) {
    const list = chosen[name] ?? [];
    sent[name] = isList && list.length ? list.map(() => null) : null;
    for (const [i, file] of list.entries()) {
      map[parts.length] = [isList ? `variables.${name}.${i}` : `variables.${name}`];
      parts.push(file);
    }
  }
  const form = new FormData();
  form.append("operations", JSON.stringify({ ...params, variables: sent }));
  form.append("map", JSON.stringify(map));
  for (const [i, file] of parts.entries()) form.append(String(i), file);
  return post(form, headers);
}

const errorsOf = (error) => {
  if (Array.isArray(error)) return { errors: error };
  if (error?.code === FORBIDDEN) return failure('The service refuses the key. Enter a valid one in "Headers".');
  if (error?.code) return failure(`The connection was closed: ${error.code} ${error.reason}`.trim());
  return failure("There is no WebSocket connection. Is the service running, and does a proxy in between pass WebSockets?");
};

/** Runs a subscription over graphql-transport-ws, as the observable that GraphiQL expects. Reconnects until the subscription ends. */
function subscribe(params, authorization) {
  return {
    subscribe({ next, complete }) {
      let wasConnected = false;
      let isEnded = false;
      let events = 0;
      const say = (text) => !isEnded && status.set(text);
      const client = createClient({
        url: new URL("/graphql", location.href.replace(/^http/, "ws")).href,
        connectionParams: authorization ? { Authorization: authorization } : {},
        retryAttempts: Number.POSITIVE_INFINITY,
        retryWait: (attempt) => new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** attempt, 10_000))),
        shouldRetry: ({ code }) => wasConnected && code !== FORBIDDEN,
        on: {
          connected() {
            say(wasConnected ? "Live again. Events in between were missed." : "Live: waiting for the first event.");
            wasConnected = true;
          },
          closed: () => wasConnected && say("Connection lost: connecting again …"),
        },
      });
      const end = (text) => {
        if (isEnded) return;
        status.set(text);
        isEnded = true;
        complete();
        client.dispose();
      };
      const stop = client.subscribe(params, {
        next(result) {
          events++;
          say(`Live: ${events} ${events === 1 ? "event" : "events"}, the last at ${new Date().toLocaleTimeString()}.`);
          next(shownOnce(result));
        },
        error(error) {
          if (isEnded) return;
          next(shownOnce(errorsOf(error)));
          end("");
        },
        complete: () => end("The service ended the subscription."),
      });
      const unsubscribe = () => {
        end("");
        stop();
      };
      return { unsubscribe };
    },
  };
}

/**
 * A validation error repeats its messages in `message` and in `extensions.fieldErrors`, which also has the path. Removes the former and
 * notes that below the result.
 */
function shownOnce(result) {
  let isShortened = false;
  const errors = result.errors?.map(({ message, ...error }) => {
    const fieldErrors = error.extensions?.fieldErrors;
    // An error without a path comes from validation before execution, so each of its faults belongs to a field.
    const isRepeated = fieldErrors?.length > 0 && (!error.path || fieldErrors.every((one) => one.message === message));
    isShortened ||= isRepeated;
    return isRepeated ? error : { message, ...error };
  });
  if (isShortened) status.set("message is left out here where fieldErrors say the same. Clients get both.");
  return errors ? { ...result, errors } : result;
}

/** Sends an operation over the transport that it needs. Never rejects, because GraphiQL would show a stack trace. */
export async function request(params, documentAST, { Authorization: authorization, ...headers }) {
  const operation = documentAST && getOperationAST(documentAST, params.operationName);
  if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return subscribe(params, authorization);
  const all = authorization ? { ...headers, Authorization: authorization } : headers;
  const uploads = uploadsOf(operation);
  const result = await (uploads.length
    ? postForm(params, uploads, all)
    : post(JSON.stringify(params), { ...all, "content-type": "application/json" }));
  return shownOnce(result);
}
