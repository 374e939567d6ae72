/** Asks a user who signs out what to do with unsent changes. */
import { plural, t } from "@lingui/core/macro";
import { Dialog } from "../parts/dialog.js";
import { useSession, useWaiting } from "../session/session.js";

export function SignOut({ onClose }: { onClose: () => void }) {
  const { queue, signOut } = useSession();
  const waiting = useWaiting();
  return (
    <Dialog title={t`Sign out?`} onClose={onClose}>
      <div className="dialog-body">
        <p>
          {plural(waiting, { one: "# change has not been sent yet.", other: "# changes have not been sent yet." })}{" "}
          {t`Kept changes stay on this device and are sent when you sign in here again. Nobody else can send them.`}
          {queue.hasFiles && ` ${t`Changes with photos are lost, because photos are deleted at sign-out.`}`}
        </p>
        <div className="actions">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button
            type="button"
            className="button danger"
            onClick={() => {
              queue.discard();
              signOut();
            }}
          >
            {t`Discard and sign out`}
          </button>
          <button type="button" className="button primary" onClick={signOut}>
            {t`Keep and sign out`}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
