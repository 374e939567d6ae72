import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Name, Place, Timestamp } from "./scalars.js";
import { Role } from "./vocabulary.js";

@ObjectType({ simpleResolvers: true, description: "An API key, without its secret." })
export class ApiKey {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "The visible part of the key: mg_<prefix>_<secret>." })
  prefix!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [String], { description: "The sites whose records it may change; empty for all." })
  sites!: string[];

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp, { nullable: true })
  expiresAt?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  revokedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Exact to a minute." })
  lastUsedAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "A new key. It is shown this once; only its hash is kept." })
export class IssuedKey {
  @Field(() => String, { description: "Send it as Authorization: Bearer <key>." })
  key!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@ObjectType({ simpleResolvers: true, description: "Who is asking." })
export class Viewer {
  @Field(() => String)
  tenantId!: string;

  @Field(() => ID)
  keyId!: string;

  @Field(() => String)
  keyName!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [String], { description: "The sites whose records this key may change; empty for all." })
  sites!: string[];
}

@InputType()
export class CreateApiKeyInput {
  @Field(() => Name)
  name!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [Place], { nullable: true, description: "Limits changes to these sites." })
  sites?: string[] | null;

  @Field(() => Timestamp, { nullable: true })
  expiresAt?: Date | null;
}

@InputType()
export class RotateApiKeyInput {
  @Field(() => Int, { defaultValue: 1440, description: "Minutes the old key stays valid, 0 to 43,200 (30 days)." })
  overlapMinutes!: number;
}
