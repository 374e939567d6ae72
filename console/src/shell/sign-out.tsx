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
          {waiting === 1 ? "One change is not sent yet." : `${waiting} changes are not sent yet.`} Kept on this device, it is sent when you
          sign in here again; nobody else sends it.
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
