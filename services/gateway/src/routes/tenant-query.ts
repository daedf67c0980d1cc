import { tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The tenant: the caller's, unless its key has operate:all. */
export const tenantQuery = z.strictObject({
  tenant: tenant.optional().describe("The key's own; another one takes the scope operate:all."),
});
