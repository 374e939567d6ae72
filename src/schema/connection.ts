/** Relay connections: lists read page by page with cursors. */
import "reflect-metadata";
import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";

/** A page of a list, as read from the database. */
export interface Page<T> {
  rows: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  cursor(row: T): string;
  /** Cursor of a row within the part of the list in which some columns have these values. */
  cursorWithin(columns: Record<string, unknown>, row: T): string;
  request: PageRequest;
  /** Counts the rows of the whole list. Runs a separate statement each time it is called. */
  count(): Promise<number>;
  /** As `count`, but stops at `mostCounted` + 1 rows. */
  countBriefly(): Promise<number>;
}

/** The rows that an estimate counts. The greatest offset of a page, too. */
export const mostCounted = 10_000;

export interface PageRequest {
  first: number;
  after?: string | null;
  /** Used instead of `first`: the last rows before a cursor or at the end of the list. */
  last?: number | null;
  before?: string | null;
  offset?: number | null;
  /** Argument that carries the cursor, if it is a token and not `after`. */
  token?: string;
}

@ArgsType()
abstract class CursorArgs {
  @Field(() => String, { nullable: true, description: "Cursor after which items start: the `endCursor` of the previous page." })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: "Number of items from the end, instead of `first`." })
  last?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Cursor before which items end. With `last`, the `startCursor` of the following page.",
  })
  before?: string | null;
}

/** Default page sizes, below a parent and at the root. */
export const usualSize = { nested: 20, root: 50 };

@ArgsType()
export class NestedPageArgs extends CursorArgs {
  @Field(() => Int, { nullable: true, defaultValue: usualSize.nested, description: "Number of items on the page." })
  first?: number | null;
}

@ArgsType()
export class PageArgs extends CursorArgs {
  @Field(() => Int, { nullable: true, defaultValue: usualSize.root, description: "Number of items on the page." })
  first?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number of items to skip, at most 10,000. Prefer `after`: large offsets are slow, cursors are not.",
  })
  offset?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Position of a page in its list." })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether more items follow. With `last`, true if `before` is set." })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether items precede. Computed with `last`; otherwise true if a cursor or an offset is set." })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Cursor of the first item. Pass it as `before`, with `last`, to get the previous page. Null for an empty page.",
  })
  startCursor!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Cursor of the last item. Pass it as `after` to get the next page. Null for an empty page.",
  })
  endCursor!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Position of an offset-based page in its list." })
export class Pagination {
  @Field(() => Int, { description: "Number of items in the whole list." })
  total!: number;

  @Field(() => Int, { description: "Maximum number of items on the page: `first`, `last` or `limit`." })
  limit!: number;

  @Field(() => Int, { description: "Number of items skipped. 0 for a page requested by cursor." })
  offset!: number;

  @Field(() => Boolean, { description: "Whether more items follow." })
  hasMore!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "Length of a list, counted up to 10,000 items." })
export class CountEstimate {
  @Field(() => Int, { description: "Number of items, or 10,000 if there are more." })
  count!: number;

  @Field(() => Boolean, { description: "Whether the list has exactly `count` items. False if it has more." })
  isExact!: boolean;
}

/** Returns the offset-based position of a page. Counts its list. */
export async function paginationOf({ count, request, hasNextPage }: Page<unknown>): Promise<Pagination> {
  return { total: await count(), limit: request.last ?? request.first, offset: request.offset ?? 0, hasMore: hasNextPage };
}

/** Returns the connection class of a list of `Node` objects: `<name>Connection` with its `<name>Edge`. */
export function connectionOf<T extends object>(Node: ClassType<T>, name: string) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: "Item of a page, with its cursor." })
  class Edge {
    @Field(() => Node, { description: "Item at the cursor." })
    node!: T;

    @Field(() => String, { description: "Position of the item, for `after` or `before` of the same list." })
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, { description: `A page of ${name} objects.` })
  class Connection {
    constructor(readonly page: Page<T>) {}

    @Field(() => [Node], { simple: true, description: "Items of the page, without edges." })
    get nodes(): T[] {
      return this.page.rows;
    }

    @Field(() => [Edge], { simple: true, description: "Items of the page, each with its cursor." })
    get edges(): Edge[] {
      return this.page.rows.map((node) => ({ node, cursor: this.page.cursor(node) }));
    }

    @Field(() => PageInfo, { simple: true, description: "Position of the page and cursors of the adjacent pages." })
    get pageInfo(): PageInfo {
      const { rows, hasNextPage, hasPreviousPage, cursor } = this.page;
      const cursorOf = (row: T | undefined) => (row ? cursor(row) : null);
      return { hasNextPage, hasPreviousPage, startCursor: cursorOf(rows[0]), endCursor: cursorOf(rows.at(-1)) };
    }

    @Field(() => Int, { description: "Number of items in the whole list. Counted only if this field is requested." })
    totalCount(): Promise<number> {
      return this.page.count();
    }

    @Field(() => CountEstimate, {
      description: "Number of items in the whole list, counted up to 10,000. Faster than `totalCount` for long lists.",
    })
    async totalCountEstimate(): Promise<CountEstimate> {
      const counted = await this.page.countBriefly();
      return { count: Math.min(counted, mostCounted), isExact: counted <= mostCounted };
    }

    @Field(() => Pagination, { description: "Offset-based position of the page. Counts the whole list." })
    pagination(): Promise<Pagination> {
      return paginationOf(this.page);
    }
  }
  return Connection;
}
