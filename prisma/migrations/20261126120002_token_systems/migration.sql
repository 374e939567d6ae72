-- A client that signs in with a token of its own is a system: it has issuer and subject, and nothing personal.
ALTER TABLE "Principal" DROP CONSTRAINT "Principal_person_check";
ALTER TABLE "Principal" ADD CONSTRAINT "Principal_person_check" CHECK ("kind" = 'person' OR num_nonnulls("email", "locale", "crew", "erasedAt") = 0);
