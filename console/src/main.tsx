import { RouterProvider } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { createRoot } from "react-dom/client";
import { Toasts } from "./parts/toast.js";
import { loadPages, router } from "./router.js";
import { type Opened, SessionProvider } from "./session/session.js";
import { SignIn } from "./session/sign-in.js";
import { applyTheme } from "./shell/theme.js";
// Imported here rather than in the stylesheet, so that the font appears in the list of delivered packages.
import "@fontsource-variable/inter/wght.css";
import "./style/style.css";

applyTheme();

function Console() {
  const [opened, setOpened] = useState<Opened>();
  const [notice, setNotice] = useState<string>();
  const onSignOut = useCallback(() => {
    setNotice(undefined);
    setOpened(undefined);
    // The next user starts at the home page, not where the previous user left off.
    history.replaceState({}, "", "/console/");
  }, []);
  const onRefused = useCallback(() => {
    setOpened((was) => {
      const waiting = was?.queue.size ?? 0;
      const kept = waiting && ` Unsent changes (${waiting}) are sent when the same person signs in.`;
      if (was) setNotice(`The key is no longer valid. Sign in again.${kept || ""}`);
      return undefined;
    });
  }, []);
  const onOpened = useCallback((next: Opened) => {
    setNotice(undefined);
    setOpened(next);
    setTimeout(() => void loadPages(), 4000);
  }, []);
  if (!opened) return <SignIn notice={notice} onOpened={onOpened} onRefused={onRefused} />;
  return (
    <SessionProvider opened={opened} onSignOut={onSignOut}>
      <Toasts>
        <RouterProvider router={router} />
      </Toasts>
    </SessionProvider>
  );
}

createRoot(document.getElementById("root")!).render(<Console />);
