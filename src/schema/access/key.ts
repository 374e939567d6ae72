import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Node } from "../node.js";
import { Name, Place, Timestamp } from "../scalars.js";
import { Role } from "./enums.js";

@ObjectType({ implements: Node, simpleResolvers: true, description: "An API key, without its secret." })
export class ApiKey {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: "The readable part of the key, which has the form `mg_<prefix>_<secret>`." })
  prefix!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the key may change. Empty: all sites." })
  sites!: string[];

  @Field(() => Timestamp)
  createdAt!: Date;

  @Field(() => Timestamp, { nullable: true })
  expiresAt?: Date | null;

  @Field(() => Timestamp, { nullable: true })
  revokedAt?: Date | null;

  @Field(() => Timestamp, { nullable: true, description: "Time of the last request with this key, accurate to one minute." })
  lastUsedAt?: Date | null;
}

@ObjectType({ simpleResolvers: true, description: "A newly issued API key. The key is shown only once: the service stores only its hash." })
export class IssuedKey {
  @Field(() => String, { description: "Send it in the header `Authorization: Bearer <key>`." })
  key!: string;

  @Field(() => ApiKey)
  apiKey!: ApiKey;
}

@ObjectType({ simpleResolvers: true, description: "The caller: its tenant and the rights of its API key." })
export class Viewer {
  @Field(() => String)
  tenantId!: string;

  @Field(() => ID)
  keyId!: string;

  @Field(() => String)
  keyName!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [String], { description: "Sites whose records the key may change. Empty: all sites." })
  sites!: string[];
}

@InputType()
export class CreateApiKeyInput {
  @Field(() => Name)
  name!: string;

  @Field(() => Role)
  role!: Role;

  @Field(() => [Place], { nullable: true, description: "Sites whose records the key may change. Default: all sites." })
  sites?: string[] | null;

  @Field(() => Timestamp, { nullable: true })
  expiresAt?: Date | null;
}

@InputType()
export class RotateApiKeyInput {
  @Field(() => Int, { defaultValue: 1440, description: "Minutes for which the old key stays valid, from 0 to 43,200 (30 days)." })
  overlapMinutes!: number;
}
