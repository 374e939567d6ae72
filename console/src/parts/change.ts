/** One change of the graph: sends it, tells what was wrong, and where. */
import type { AnyVariables, CombinedError, TypedDocumentNode } from "@urql/core";
import { useCallback, useRef, useState } from "react";
import { useClient } from "urql";
import type { Context } from "../session/queue.js";
import { fieldErrorsOf, messageOf } from "./states.js";
import { useToast } from "./toast.js";

export interface Change<Data, Variables> {
  /** Undefined where it was refused: then the user was told. */
  run: (variables: Variables, done?: string) => Promise<Data | undefined>;
  isBusy: boolean;
  /** By the path of the field in the input. */
  wrong: Record<string, string>;
  error: CombinedError | undefined;
  /** What was refused is not shown any more. */
  forget: () => void;
}

interface Options {
  /** Without a connection the change waits for it: then `run` gives an empty answer. */
  waits?: boolean;
  /** The answer holds a secret. */
  isSecret?: boolean;
  /** Called when it is refused, also after it waited: what the page shows may be old. */
  onRefused?: () => void;
}

export function useChange<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  { waits = false, isSecret = false, onRefused }: Options = {},
): Change<Data, Variables> {
  const client = useClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CombinedError>();
  const refused = useRef(onRefused);
  refused.current = onRefused;
  const run = useCallback(
    async (variables: Variables, done?: string) => {
      setBusy(true);
      setError(undefined);
      let onWaiting = () => {};
      const waiting = new Promise<undefined>((resolve) => {
        onWaiting = () => resolve(undefined);
      });
      const context: Context = waits ? { queueable: true, onWaiting } : { isSecret };
      const answer = client.mutation(document, variables, context).toPromise();
      const result = await Promise.race([answer, waiting]);
      setBusy(false);
      if (!result) {
        toast("No connection: it is sent when the connection is back.");
        // What the service refuses then, the frame tells.
        void answer.then(({ error: late }) => late && refused.current?.());
        return {} as Data;
      }
      if (result.error) {
        setError(result.error);
        toast(messageOf(result.error), true);
        if (!result.error.networkError) refused.current?.();
        return undefined;
      }
      if (done) toast(done);
      return result.data;
    },
    [client, document, toast, waits, isSecret],
  );
  const forget = useCallback(() => setError(undefined), []);
  return { run, isBusy, error, forget, wrong: fieldErrorsOf(error) };
}
