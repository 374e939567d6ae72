import { Extensions, Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { one, Relations } from "../relation.js";
import { DateTime, Name, Place } from "../scalars.js";
import { Role } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "API key, without its secret." })
@Relations({
  changes: changesOfRecord,
  principal: one("Principal", {
    required: true,
    description: "Person or system that acts with the key. A rotated key keeps its principal.",
  }),
})
export class ApiKey {
  @Field(() => ID, { description: "Id, unique across all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Name of the key's user or purpose. Recorded with the actions of the key." })
  name!: string;

  @Field(() => String, { description: "Readable part of the key, which has the form `mg_<prefix>_<secret>`." })
  prefix!: string;

  @Field(() => Role, { description: "Role of the key." })
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the key may change. Empty for all sites." })
  sites!: string[];

  @Field(() => Boolean, { description: "Whether the key reads the records of all sites, not only of its own." })
  readAll!: boolean;

  @Field(() => DateTime, { description: "Time of issue." })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "Expiration time. Null if the key does not expire." })
  expiresAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time at which the key stops or stopped being valid, including after a rotation. Null if the key is not revoked.",
  })
  revokedAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time of the last request with the key, accurate to one minute. Null if never used.",
  })
  lastUsedAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "Newly issued API key. The key is shown only once: the service stores only its hash." })
export class IssuedKey {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "Key to send in the header `Authorization: Bearer <key>`." })
  key!: string;

  @Field(() => ApiKey, { description: "Stored key, without its secret." })
  apiKey!: ApiKey;
}

@ObjectType({ simpleResolvers: true, description: "Permission of the caller's role for a root field." })
export class Permission {
  @Field(() => String, { description: "Name of the root field, such as `createAsset`." })
  field!: string;

  @Field(() => Boolean, { description: "Whether the role is sufficient. Access to sites and records is checked when the field is called." })
  isAllowed!: boolean;

  @Field(() => [Role], { description: "Roles of which the caller needs at least one. Empty if every role may call the field." })
  roles!: Role[];
}

@ObjectType({ simpleResolvers: true, description: "The caller: identity, tenant and permissions." })
@Relations({
  principal: one("Principal", {
    on: { id: "principalId" },
    required: true,
    forRequesters: true,
    description: "Acting person or system.",
  }),
})
export class Viewer {
  @Field(() => String, { description: "Id of the tenant whose records the caller sees." })
  tenantId!: string;

  @Field(() => ID, { description: "Id of the API key in use. With a token, the caller's `authorId`." })
  keyId!: string;

  @Field(() => String, { description: "Name of the API key in use. With a token, the name of the person." })
  keyName!: string;

  @Field(() => Role, { description: "Role of the caller." })
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the caller may change. Empty for all sites." })
  sites!: string[];

  @Field(() => Boolean, { description: "Whether the caller reads the records of all sites, not only of its own." })
  readAll!: boolean;
}

/** Sites of a key, issued or by invitation. */
@InputType()
export class KeySitesInput {
  @Field(() => [Place], { nullable: true, description: "Sites whose records the key may change. Default: all sites." })
  sites?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a key limited to sites reads the records of all sites. By default, the key reads only its own sites.",
  })
  readAll?: boolean | null;
}

@InputType({ description: "New API key." })
export class CreateApiKeyInput extends KeySitesInput {
  @Field(() => Name, { description: "Name of the key's user or purpose." })
  name!: string;

  @Field(() => Role, { description: "Role of the key." })
  role!: Role;

  @Field(() => DateTime, { nullable: true, description: "Expiration time, in the future. By default, the key does not expire." })
  expiresAt?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description:
      "Id of the person or system that acts with the key. Default: a new system with the name of the key. Erased persons are refused.",
  })
  principalId?: string | null;
}

@InputType({ description: "Options for replacing an API key." })
export class RotateApiKeyInput {
  @Field(() => Int, { defaultValue: 1440, description: "Minutes during which the old key stays valid, from 0 to 43,200 (30 days)." })
  overlapMinutes!: number;
}

@ObjectType({ description: "A page of API keys." })
export class ApiKeyConnection extends connectionOf(ApiKey, "ApiKey") {}

@InputType({ description: "Filter conditions. All conditions that are set must match." })
@Filter<ApiKeyFilter>({
  oneOf: ["role"],
  contains: ["name"],
  times: ["createdAt", "expiresAt", "lastUsedAt"],
  empty: ["expiresAt", "revokedAt", "lastUsedAt"],
})
export class ApiKeyFilter {
  @Field(() => Role, { nullable: true, description: "Only keys with exactly this role." })
  role?: Role | null;
}

declareList("ApiKey", { Filter: ApiKeyFilter, orders: ["createdAt", "name", "lastUsedAt", "expiresAt"] });
