import { t } from "@lingui/core/macro";
import { CircleAlert } from "lucide-react";
import { Empty } from "../parts/states.js";

/** Replaces a page that failed to load or render. The rest of the console keeps working. */
export const Broken = ({ reset }: { reset: () => void }) => (
  <div role="alert">
    <Empty
      icon={CircleAlert}
      title={t`This page could not be shown`}
      action={
        <button type="button" className="button" onClick={reset}>
          {t`Try again`}
        </button>
      }
    >
      {t`Check the connection and try again. If the error persists, reload the page and sign in again.`}
    </Empty>
  </div>
);
