import { t } from "@lingui/core/macro";
import { useWhenSeen } from "./hooks.js";

/** The end of a list. Loads the next page when it scrolls into view. */
export function More({ hasMore, isBusy, onMore }: { hasMore: boolean; isBusy: boolean; onMore: () => void }) {
  const element = useWhenSeen(onMore, hasMore && !isBusy);
  if (!hasMore) return null;
  return (
    <div ref={element} className="state" style={{ padding: 16 }}>
      <button type="button" className="button small" disabled={isBusy} onClick={onMore}>
        {isBusy ? t`Loading …` : t`Show more`}
      </button>
    </div>
  );
}
