import { emailDomains } from './email-domains.ts';
import type { NamedValidator } from './named-validator.ts';
import { noSystemPaths } from './no-system-paths.ts';
import { readOnlySql } from './read-only-sql.ts';

/** All there are: a mandate says `validators: [noSystemPaths, { emailDomains: [company.com] }, readOnlySql]`. */
export const NAMED_VALIDATORS: ReadonlyMap<string, NamedValidator> = new Map(
  Object.entries({ noSystemPaths, emailDomains, readOnlySql }),
);
