/** Relay connections: one page of a list, walked by cursors. */
import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql";

/** One page as the database answers it. */
export interface Page<T> {
  rows: T[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  cursor(row: T): string;
  request: PageRequest;
  /** All rows of the list, not only of this page: a statement of its own, run only when asked. */
  count(): Promise<number>;
}

export interface PageRequest {
  first: number;
  after?: string | null;
  offset?: number | null;
}

@ArgsType()
export class NestedPageArgs implements PageRequest {
  @Field(() => Int, { defaultValue: 20, description: "Page size." })
  first!: number;

  @Field(() => String, { nullable: true, description: "The `endCursor` of the page before." })
  after?: string | null;
}

@ArgsType()
export class PageArgs implements PageRequest {
  @Field(() => Int, { defaultValue: 50, description: "Page size." })
  first!: number;

  @Field(() => String, { nullable: true, description: "The `endCursor` of the page before." })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Rows to skip. For the REST paths that know no cursor; prefer `after`, whose cost does not grow.",
  })
  offset?: number | null;
}

@ObjectType({ simpleResolvers: true, description: "Where a page stands in its list." })
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: "Whether the page was asked for by `after` or `offset`." })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: "Pass it as `after` to get the next page." })
  endCursor!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "Where a page by offset stands in its list." })
export class Pagination {
  @Field(() => Int)
  total!: number;

  @Field(() => Int)
  limit!: number;

  @Field(() => Int)
  offset!: number;

  @Field(() => Boolean)
  hasMore!: boolean;
}

export function connectionOf<T extends object>(Node: ClassType<T>, name: string) {
  @ObjectType(`${name}Edge`, { simpleResolvers: true })
  class Edge {
    @Field(() => Node)
    node!: T;

    @Field(() => String)
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, { description: `One page of a list of ${name} objects.` })
  class Connection {
    constructor(readonly page: Page<T>) {}

    @Field(() => [Node], { simple: true, description: "The page's objects, without the edges around them." })
    get nodes(): T[] {
      return this.page.rows;
    }

    @Field(() => [Edge], { simple: true })
    get edges(): Edge[] {
      return this.page.rows.map((node) => ({ node, cursor: this.page.cursor(node) }));
    }

    @Field(() => PageInfo, { simple: true })
    get pageInfo(): PageInfo {
      const { rows, hasNextPage, hasPreviousPage, cursor } = this.page;
      const at = (row: T | undefined) => (row ? cursor(row) : null);
      return { hasNextPage, hasPreviousPage, startCursor: at(rows[0]), endCursor: at(rows.at(-1)) };
    }

    @Field(() => Int, { description: "Length of the whole list; counted only when asked for." })
    totalCount(): Promise<number> {
      return this.page.count();
    }

    @Field(() => Pagination, { description: "For the REST paths that page by offset; counts the whole list." })
    async pagination(): Promise<Pagination> {
      const { count, request, hasNextPage } = this.page;
      return { total: await count(), limit: request.first, offset: request.offset ?? 0, hasMore: hasNextPage };
    }
  }
  return Connection;
}
