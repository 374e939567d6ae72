/** The dialogs that move a part's stock. */
import { AdjustDialog } from "./adjust.js";
import { PostDialog } from "./post.js";
import { TransferDialog } from "./transfer.js";
import type { Movement, MoveProps } from "./types.js";

export function MoveDialog({ kind, ...props }: MoveProps & { kind: Movement }) {
  const level = props.part.stockLevels.find(({ site }) => site === props.site);
  if (kind === "transfer") return <TransferDialog {...props} />;
  if (kind === "count" || kind === "adjust") return level && <AdjustDialog {...props} level={level} kind={kind} />;
  return <PostDialog key={kind} {...props} kind={kind} />;
}
