/** The two responses of docs/interface.md 4.7 that a selection cannot express: the nested tree, and descendants with their paths. */

interface Item {
  id: string;
  name: string;
  type: string;
  level: number;
  parentId?: string | null;
}

interface Root extends Item {
  descendants: Item[];
}

/** Returns the nested tree as JSON text. Iterative, because a deep tree would overflow the stack. */
export function nest({ descendants, ...root }: Root): string {
  const childrenOf = new Map<string, Item[]>();
  for (const item of descendants) {
    const siblings = childrenOf.get(item.parentId!);
    if (siblings) siblings.push(item);
    else childrenOf.set(item.parentId!, [item]);
  }
  let json = "";
  const open = ({ id, name, type, level }: Item) => {
    json += `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"type":${JSON.stringify(type)},"level":${level},"children":[`;
  };
  open(root);
  const stack = [{ items: childrenOf.get(root.id) ?? [], next: 0 }];
  while (stack.length) {
    const top = stack[stack.length - 1]!;
    const item = top.items[top.next];
    if (!item) {
      json += "]}";
      stack.pop();
      continue;
    }
    if (top.next++) json += ",";
    open(item);
    stack.push({ items: childrenOf.get(item.id) ?? [], next: 0 });
  }
  return json;
}

/** Adds a `path` to each descendant: the ids from the requested component down to the descendant. */
export function withPaths({ id, descendants }: Root) {
  const paths = new Map<string, string[]>([[id, [id]]]);
  return {
    descendants: descendants.map(({ parentId, ...item }) => {
      const path = [...paths.get(parentId!)!, item.id];
      paths.set(item.id, path);
      return { id: item.id, name: item.name, type: item.type, level: item.level, path };
    }),
  };
}
