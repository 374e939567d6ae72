/** Posts, rejects or cancels a stock count. */
import { type FormEvent, useState } from "react";
import { CancelStockCount, PostStockCount, RejectStockCount } from "../../generated/count.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { Dialog } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { messageOf } from "../../parts/states.js";
import { count } from "../../parts/words.js";
import { type Count, nameOf } from "./count-state.js";

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
    if (await post.run({ id: of.id, leaveUncounted: todo ? leave : undefined }, "Posted")) {
      onDone();
      onClose();
    }
  };
  return (
    <Dialog title={`Post ${nameOf(of).toLowerCase()}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>
          {blind
            ? "Differences to the books are posted, all or none. "
            : differing.totalCount
              ? `${differing.totalCount === 1 ? "One line differs" : `${count(differing.totalCount)} lines differ`} from the books: the counted quantities become the stock. `
              : "No line differs from the books: the stock does not change. "}
          {(blind || differing.totalCount > 0) && "Added stock can be used after someone else approves the count."}
        </p>
        {todo > 0 && (
          <label className="check">
            <input type="checkbox" checked={leave} onChange={(event) => setLeave(event.target.checked)} />
            {todo === 1 ? "Leave the uncounted line unchanged" : `Leave the ${count(todo)} uncounted lines unchanged`}
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
            Not yet
          </button>
          <button type="submit" className="button primary" disabled={post.isBusy || (todo > 0 && !leave)}>
            {post.isBusy ? "Posting …" : "Post the count"}
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
    if (await reject.run({ id: of.id, reason: reason.trim() || undefined }, "Rejected, and taken back")) onClose();
  };
  return (
    <Dialog title={`Reject ${nameOf(of).toLowerCase()}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <p>All movements of the count are reversed. The stock returns to the quantities before the count.</p>
        <TextField label="Why" value={reason} wrong={reject.wrong.reason} onChange={(event) => setReason(event.target.value)} />
        {reject.error && !reject.wrong.reason && (
          <p className="note bad" role="alert">
            {messageOf(reject.error)}
          </p>
        )}
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button danger" disabled={reject.isBusy}>
            Reject the count
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
      title={`Cancel ${nameOf(of).toLowerCase()}?`}
      text="The stock does not change. The counted quantities are kept, but the count cannot be opened again."
      verb="Cancel the count"
      isBusy={cancel.isBusy}
      refused={messageOf(cancel.error)}
      onClose={onClose}
      onConfirm={() => void cancel.run({ id: of.id }, "The count is given up").then((done) => done && onClose())}
    />
  );
}
