/** Asks before a form with unsaved changes closes: at links, at the browser's buttons, and at its reload. */
import { t } from "@lingui/core/macro";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Confirm } from "../parts/confirm.js";
import { hasChanges, mayDiscard, setQuestion, watchForms } from "../parts/unsaved.js";

export function Discard() {
  const [answer, setAnswer] = useState<(isDiscarded: boolean) => void>();
  useEffect(watchForms, []);
  useEffect(() => {
    setQuestion(
      () =>
        new Promise((resolve) =>
          setAnswer((earlier: typeof answer) => {
            earlier?.(false);
            return resolve;
          }),
        ),
    );
    return () => setQuestion(undefined);
  }, []);
  useBlocker({
    // The page replaces its own address while a form is filled in, such as with the chosen asset.
    shouldBlockFn: async ({ action }) => action !== "REPLACE" && !(await mayDiscard()),
    enableBeforeUnload: () => hasChanges(),
  });
  const give = (isDiscarded: boolean) => {
    answer?.(isDiscarded);
    setAnswer(undefined);
  };
  return (
    answer && (
      <Confirm
        title={t`Discard the changes?`}
        text={t`The form contains changes that are not saved.`}
        verb={t`Discard`}
        isBusy={false}
        onConfirm={() => give(true)}
        onClose={() => give(false)}
      />
    )
  );
}
