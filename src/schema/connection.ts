/** Relay connections: lists that are read page by page with cursors. */
import "reflect-metadata";
import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";

/** One page of a list, as read from the database. */
export interface Page<T> {
  rows: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  cursor(row: T): string;
  /** The cursor of a row in the part of the list in which some columns have these values. */
  cursorWithin(columns: Record<string, unknown>, row: T): string;
  request: PageRequest;
  /** Counts the rows of the whole list. Runs a separate statement each time it is called. */
  count(): Promise<number>;
}

export interface PageRequest {
  first: number;
  after?: string | null;
  /** Instead of `first`: the last rows, before a cursor or at the end of the list. */
  last?: number | null;
  before?: string | null;
  offset?: number | null;
  /** The argument that carries the cursor, if it is a token and not `after`. */
  token?: string;
}

@ArgsType()
abstract class CursorArgs {
  @Field(() => String, { nullable: true, description: "Items after this cursor: the `endCursor` of the page before." })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: "Number of items from the end, instead of `first`." })
  last?: number | null;

  @Field(() => String, { nullable: true, description: "Items before this cursor: with `last`, the `startCursor` of the page after." })
  before?: string | null;
}

/** Sizes of pages that are not asked for, below a parent and at the root. */
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
    description: "Number of items to skip, at most 10,000. Prefer `after`: a large offset is slower, a cursor is not.",
  })
  offset?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Position of a page in its list." })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether items follow. With `last`, true before a cursor." })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "With `last`, whether items come before. Otherwise true after a cursor or an offset." })
  hasPreviousPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Pass this as `before`, with `last`, to get the page before. Null for an empty page.",
  })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: "Pass this as `after` to get the next page. Null for an empty page." })
  endCursor!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Position of an offset-based page in its list." })
export class Pagination {
  @Field(() => Int, { description: "Number of items in the whole list." })
  total!: number;

  @Field(() => Int, { description: "Largest number of items on the page: `first`, `last` or `limit`." })
  limit!: number;

  @Field(() => Int, { description: "Number of items skipped. 0 for a page that was asked for by cursor." })
  offset!: number;

  @Field(() => Boolean, { description: "Whether items follow." })
  hasMore!: boolean;
}

/** The offset-based position of a page. Counts its list. */
export async function paginationOf({ count, request, hasNextPage }: Page<unknown>): Promise<Pagination> {
  return { total: await count(), limit: request.last ?? request.first, offset: request.offset ?? 0, hasMore: hasNextPage };
}

/** Returns the connection class of a list of `Node` objects: `<name>Connection` with its `<name>Edge`. */
export function connectionOf<T extends object>(Node: ClassType<T>, name: string) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: "An item of a page, with its cursor." })
  class Edge {
    @Field(() => Node, { description: "The item." })
    node!: T;

    @Field(() => String, { description: "Position of the item, for `after` or `before` of the same list." })
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, { description: `One page of a list of ${name} objects.` })
  class Connection {
    constructor(readonly page: Page<T>) {}

    @Field(() => [Node], { simple: true, description: "The items of the page, without edges." })
    get nodes(): T[] {
      return this.page.rows;
    }

    @Field(() => [Edge], { simple: true, description: "The items of the page, each with its cursor." })
    get edges(): Edge[] {
      return this.page.rows.map((node) => ({ node, cursor: this.page.cursor(node) }));
    }

    @Field(() => PageInfo, { simple: true, description: "Whether there are pages before and after, and the cursors that lead there." })
    get pageInfo(): PageInfo {
      const { rows, hasNextPage, hasPreviousPage, cursor } = this.page;
      const cursorOf = (row: T | undefined) => (row ? cursor(row) : null);
      return { hasNextPage, hasPreviousPage, startCursor: cursorOf(rows[0]), endCursor: cursorOf(rows.at(-1)) };
    }

    @Field(() => Int, { description: "Number of items in the whole list. Counted only when this field is requested." })
    totalCount(): Promise<number> {
      return this.page.count();
    }

    @Field(() => Pagination, { description: "Offset-based position of the page. Counts the whole list." })
    pagination(): Promise<Pagination> {
      return paginationOf(this.page);
    }
  }
  return Connection;
}
