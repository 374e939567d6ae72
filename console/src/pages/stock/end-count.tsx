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
              ? `${differing.totalCount === 1 ? "One line differs" : `${count(differing.totalCount)} lines differ`} from the books: the stock becomes what was counted. `
              : "No line differs from the books: the stock stays as it is. "}
          {(blind || differing.totalCount > 0) && "What is added can be used once somebody else has approved the count."}
        </p>
        {todo > 0 && (
          <label className="check">
            <input type="checkbox" checked={leave} onChange={(event) => setLeave(event.target.checked)} />
            {todo === 1 ? "Leave the line that is not counted as it is" : `Leave the ${count(todo)} lines that are not counted as they are`}
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
        <p>Each of its movements is taken back: the stock is as if nothing had been counted.</p>
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
      title={`Give up ${nameOf(of).toLowerCase()}?`}
      text="The stock stays as it is. What was counted is kept with the sheet, and it cannot be opened again."
      verb="Give it up"
      isBusy={cancel.isBusy}
      refused={messageOf(cancel.error)}
      onClose={onClose}
      onConfirm={() => void cancel.run({ id: of.id }, "The count is given up").then((done) => done && onClose())}
    />
  );
}
