import { emailDomains } from './email-domains.ts';
import type { NamedValidator } from './named-validator.ts';
import { noSystemPaths } from './paths/no-system-paths.ts';
import { paths } from './paths/paths.ts';
import { readOnlySql } from './read-only-sql.ts';

/**
 * All named validators. A document names them like this: `validators: [noSystemPaths, { emailDomains: [company.com]
 * }]`.
 */
export const NAMED_VALIDATORS: ReadonlyMap<string, NamedValidator> = new Map(
  Object.entries({ paths, noSystemPaths, emailDomains, readOnlySql }),
);
