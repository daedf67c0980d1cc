import { described, tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The tenant of a request: the caller's own, or any tenant for a key with operate:all. */
export const tenantQuery = z.strictObject({
  tenant: described(
    tenant.optional(),
    'The tenant to look at. Absent: the tenant of the key. Another tenant needs the scope `operate:all`.',
    'default',
  ),
});
