/** Posts, rejects or cancels a stock count. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { CancelStockCount, PostStockCount, RejectStockCount } from "../../generated/count.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageOf } from "../../parts/states.js";
import type { Count } from "./count-state.js";

interface Props {
  of: Count;
  onClose: () => void;
}

export function PostCount({ of, todo, onClose, onDone }: Props & { todo: number; onDone: () => void }) {
  const post = useChange(PostStockCount);
  const [leave, setLeave] = useState(false);
  const { differing, blind } = of;
  // The parts that the service refuses to post, if their lines are shown.
  const partIds = (post.error?.graphQLErrors[0]?.extensions?.partIds ?? []) as string[];
  const named = of.lines.nodes.filter(({ current, partId }) => current && partIds.includes(partId)).map(({ part }) => part.name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await post.run({ id: of.id, leaveUncounted: todo ? leave : undefined }, t`Posted`)) {
      onDone();
      onClose();
    }
  };
  return (
    <Dialog title={t`Post count ${of.number}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>
          {blind
            ? t`Differences to the books are posted, all or none.`
            : differing.totalCount
              ? plural(differing.totalCount, {
                  one: "One line differs from the books: the counted quantities become the stock.",
                  other: "# lines differ from the books: the counted quantities become the stock.",
                })
              : t`No line differs from the books: the stock does not change.`}{" "}
          {(blind || differing.totalCount > 0) && t`Added stock can be used after someone else approves the count.`}
        </p>
        {todo > 0 && (
          <label className="check">
            <input type="checkbox" checked={leave} onChange={(event) => setLeave(event.target.checked)} />
            {plural(todo, { one: "Leave the uncounted line unchanged", other: "Leave the # uncounted lines unchanged" })}
          </label>
        )}
        {post.error && (
          <p className="note bad" role="alert">
            {messageOf(post.error)}
            {named.length > 0 && `: ${named.join(", ")}`}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Not yet`}
          </button>
          <button type="submit" className="button primary" disabled={post.isBusy || (todo > 0 && !leave)}>
            {post.isBusy ? t`Posting …` : t`Post the count`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function RejectCount({ of, onClose }: Props) {
  const reject = useChange(RejectStockCount);
  const [reason, setReason] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await reject.run({ id: of.id, reason: reason.trim() || undefined }, t`Rejected, and taken back`)) onClose();
  };
  return (
    <Dialog title={t`Reject count ${of.number}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>{t`All movements of the count are reversed. The stock returns to the quantities before the count.`}</p>
        <TextField label={t`Why`} value={reason} wrong={reject.wrong.reason} onChange={(event) => setReason(event.target.value)} />
        {reject.error && !reject.wrong.reason && (
          <p className="note bad" role="alert">
            {messageOf(reject.error)}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button danger" disabled={reject.isBusy}>
            {t`Reject the count`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function CancelCount({ of, onClose }: Props) {
  const cancel = useChange(CancelStockCount);
  return (
    <Confirm
      title={t`Cancel count ${of.number}?`}
      text={t`The stock does not change. The counted quantities are kept, but the count cannot be opened again.`}
      verb={t`Cancel the count`}
      isBusy={cancel.isBusy}
      refused={messageOf(cancel.error)}
      onClose={onClose}
      onConfirm={() => void cancel.run({ id: of.id }, t`The count is given up`).then((done) => done && onClose())}
    />
  );
}
