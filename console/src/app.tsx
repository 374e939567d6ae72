import { plural, t } from "@lingui/core/macro";
import { RouterProvider } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { createRoot } from "react-dom/client";
import { loadPages } from "./load-page.js";
import { Toasts } from "./parts/toast.js";
import { router } from "./router.js";
import { AcceptInvitation } from "./session/accept.js";
import { invitation } from "./session/invitation.js";
import { type Opened, SessionProvider } from "./session/session.js";
import { SignIn } from "./session/sign-in.js";
import { applyTheme } from "./shell/theme.js";

function Console() {
  const [opened, setOpened] = useState<Opened>();
  const [notice, setNotice] = useState<string>();
  const [invited, setInvited] = useState(invitation);
  const [refusedInvitation, setRefusedInvitation] = useState<string>();
  const onSignOut = useCallback(() => {
    setNotice(undefined);
    setOpened(undefined);
    // The next user starts at the home page, not where the previous user left off.
    history.replaceState(history.state, "", "/console/");
  }, []);
  const onRefused = useCallback(() => {
    setOpened((was) => {
      const waiting = was?.queue.size ?? 0;
      const kept =
        waiting > 0 &&
        plural(waiting, {
          one: "# unsent change is sent when the same person signs in.",
          other: "# unsent changes are sent when the same person signs in.",
        });
      if (was) setNotice([t`The key is no longer valid. Sign in again.`, kept].filter(Boolean).join(" "));
      return undefined;
    });
  }, []);
  const onOpened = useCallback((next: Opened) => {
    setNotice(undefined);
    setInvited(undefined);
    setRefusedInvitation(undefined);
    setOpened(next);
    setTimeout(keepForOffline, 4000);
  }, []);
  const onLeave = useCallback((reason?: string) => {
    setInvited(undefined);
    setRefusedInvitation(reason);
  }, []);
  if (!opened && invited) return <AcceptInvitation secret={invited} onOpened={onOpened} onRefused={onRefused} onLeave={onLeave} />;
  if (!opened) return <SignIn notice={notice} refusedInvitation={refusedInvitation} onOpened={onOpened} onRefused={onRefused} />;
  return (
    <SessionProvider opened={opened} onSignOut={onSignOut}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </SessionProvider>
  );
}

/** Loads what a visit without a connection needs, after the first page, which needs the same connection. */
function keepForOffline(): void {
  // Browsers offer service workers only over HTTPS and on this machine.
  if (import.meta.env.PROD) void navigator.serviceWorker?.register("/console/service-worker.js").catch(() => undefined);
  void loadPages();
}

export function start(): void {
  applyTheme();
  createRoot(document.getElementById("root")!).render(<Console />);
}
