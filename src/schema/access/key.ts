import { Extensions, Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { changesOfRecord } from "../changes/change.js";
import { connectionOf } from "../connection.js";
import { Filter } from "../filter.js";
import { declareList } from "../list.js";
import { Node } from "../node.js";
import { one, Relations } from "../relation.js";
import { DateTime, Name, Place } from "../scalars.js";
import { Role } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "An API key, without its secret." })
@Relations({
  changes: changesOfRecord,
  principal: one("Principal", { required: true, description: "The person or system that acts with it. A rotated key is the same one's." }),
})
export class ApiKey {
  @Field(() => ID, { description: "Unique among all objects of the tenant." })
  id!: string;

  @Field(() => String, { description: "Who or what uses the key. Shown beside what was done with it." })
  name!: string;

  @Field(() => String, { description: "The readable part of the key, which has the form `mg_<prefix>_<secret>`." })
  prefix!: string;

  @Field(() => Role, { description: "What the key may do." })
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the key may change. Empty: all sites." })
  sites!: string[];

  @Field(() => Boolean, { description: "Whether the key reads the records of all sites. False: only of its own." })
  readAll!: boolean;

  @Field(() => DateTime, { description: "Time of issue." })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "Until when it is valid. Null: without end." })
  expiresAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "When it stops or stopped being valid, also after a rotation. Null: not revoked.",
  })
  revokedAt?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time of the last request with this key, accurate to one minute. Null: never used.",
  })
  lastUsedAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "A newly issued API key. The key is shown only once: the service stores only its hash." })
export class IssuedKey {
  @Extensions({ shownOnce: true })
  @Field(() => String, { description: "Send it in the header `Authorization: Bearer <key>`." })
  key!: string;

  @Field(() => ApiKey, { description: "The stored key, without its secret." })
  apiKey!: ApiKey;
}

@ObjectType({ simpleResolvers: true, description: "What the caller's role lets it do with a root field." })
export class Permission {
  @Field(() => String, { description: "Name of the root field, such as `createAsset`." })
  field!: string;

  @Field(() => Boolean, { description: "Whether the role suffices. Sites and records are looked at when the field is called." })
  isAllowed!: boolean;

  @Field(() => [Role], { description: "The roles of which the caller needs at least one. Empty: every role may." })
  roles!: Role[];
}

@ObjectType({ simpleResolvers: true, description: "The caller: who it is, its tenant and its rights." })
@Relations({
  principal: one("Principal", {
    on: { id: "principalId" },
    required: true,
    forRequesters: true,
    description: "The person or system that acts.",
  }),
})
export class Viewer {
  @Field(() => String, { description: "The tenant whose records the caller sees." })
  tenantId!: string;

  @Field(() => ID, { description: "Id of the API key in use. With a token there is none: the id that is written as the author." })
  keyId!: string;

  @Field(() => String, { description: "Name of the API key in use; with a token that of the person." })
  keyName!: string;

  @Field(() => Role, { description: "What the caller may do." })
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the caller may change. Empty: all sites." })
  sites!: string[];

  @Field(() => Boolean, { description: "Whether the caller reads the records of all sites. False: only of its own." })
  readAll!: boolean;
}

@InputType({ description: "A new API key." })
export class CreateApiKeyInput {
  @Field(() => Name, { description: "Who or what will use the key." })
  name!: string;

  @Field(() => Role, { description: "What the key may do." })
  role!: Role;

  @Field(() => [Place], { nullable: true, description: "Sites whose records the key may change. Default: all sites." })
  sites?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether a key limited to sites reads the records of all sites. Default: only of its own.",
  })
  readAll?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: "Must lie in the future. Default: valid without end." })
  expiresAt?: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: "Id of the person or system that acts with it. Default: a new system of the key's name. An erased person is refused.",
  })
  principalId?: string | null;
}

@InputType({ description: "How an API key is replaced." })
export class RotateApiKeyInput {
  @Field(() => Int, { defaultValue: 1440, description: "Minutes for which the old key stays valid, from 0 to 43,200 (30 days)." })
  overlapMinutes!: number;
}

@ObjectType({ description: "One page of a list of API keys." })
export class ApiKeyConnection extends connectionOf(ApiKey, "ApiKey") {}

@InputType({ description: "All conditions that are set must match." })
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
