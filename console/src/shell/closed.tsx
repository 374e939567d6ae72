/** Replaces pages that a key may not use. */
import { t } from "@lingui/core/macro";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Empty } from "../parts/states.js";
import type { Field } from "../session/fields.js";
import { useSession } from "../session/session.js";

/** Shows the page if the key may use one of the fields that it needs. */
export function Closed({ needs, children }: { needs: readonly Field[]; children: ReactNode }): ReactNode {
  const { can } = useSession();
  if (needs.some(can)) return children;
  return (
    <Empty icon={Lock} title={t`You cannot open this page`}>
      {t`Ask an administrator for access.`}
    </Empty>
  );
}
