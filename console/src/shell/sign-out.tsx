/** Asks a user who signs out what to do with unsent changes. */
import { Dialog } from "../parts/dialog.js";
import { useSession, useWaiting } from "../session/session.js";

export function SignOut({ onClose }: { onClose: () => void }) {
  const { queue, signOut } = useSession();
  const waiting = useWaiting();
  return (
    <Dialog title="Sign out?" onClose={onClose}>
      <div className="dialog-body">
        <p>
          {waiting === 1 ? "1 change has not been sent yet." : `${waiting} changes have not been sent yet.`} Kept changes stay on this
          device and are sent when you sign in here again. Nobody else can send them.
        </p>
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              queue.discard();
              signOut();
            }}
          >
            Discard and sign out
          </button>
          <button type="button" className="button primary" onClick={signOut}>
            Keep and sign out
          </button>
        </div>
      </div>
    </Dialog>
  );
}
