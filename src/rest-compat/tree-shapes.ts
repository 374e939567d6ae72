/** The two answers of 4.7 that no selection can form: the nested tree, and descendants with the path to each. */

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

/** The nested tree as JSON. Written by hand, without recursion, because a tree may be deeper than a stack. */
export function nest({ descendants, ...root }: Root): string {
  const below = new Map<string, Item[]>();
  for (const item of descendants) {
    const siblings = below.get(item.parentId!);
    if (siblings) siblings.push(item);
    else below.set(item.parentId!, [item]);
  }
  let json = "";
  const open = ({ id, name, type, level }: Item) => {
    json += `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"type":${JSON.stringify(type)},"level":${level},"children":[`;
  };
  open(root);
  const stack = [{ items: below.get(root.id) ?? [], next: 0 }];
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
    stack.push({ items: below.get(item.id) ?? [], next: 0 });
  }
  return json;
}

/** `path` holds the identifiers from the component asked for down to the item. */
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
