/** Sends a mutation and reports errors, each at its field. */
import { t } from "@lingui/core/macro";
import type { AnyVariables, CombinedError, TypedDocumentNode } from "@urql/core";
import { useCallback, useRef, useState } from "react";
import { useClient } from "urql";
import type { Context } from "../session/queue.js";
import { fieldErrorsOf, messageOf } from "./states.js";
import { useToast } from "./toast.js";
import { settleForms } from "./unsaved.js";

export interface Change<Data, Variables> {
  /** Resolves to undefined if the service rejected the change. In that case the user has been notified. */
  run: (variables: Variables, done?: string) => Promise<Data | undefined>;
  isBusy: boolean;
  /** Messages by the field's path in the input. */
  wrong: Record<string, string>;
  error: CombinedError | undefined;
  /** Clears the messages. */
  forget: () => void;
}

interface Options {
  /** Without a connection the change is queued and `run` resolves to an empty result. */
  waits?: boolean;
  /** The response contains a secret. */
  isSecret?: boolean;
  /** Called when the change is rejected, even after it was queued: the page may show old data. */
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
      settleForms(!result?.error);
      if (!result) {
        toast(t`No connection. The change is sent when the connection is back.`);
        // The frame shows the error if the service rejects the queued change.
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
