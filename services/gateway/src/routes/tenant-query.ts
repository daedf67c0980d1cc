import { described, tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The tenant that a request asks for: the caller's own, or any tenant if the key has the scope operate:all. */
export const tenantQuery = z.strictObject({
  tenant: described(
    tenant.optional(),
    'The tenant to look at. Default: the tenant of the key. Another tenant needs the scope `operate:all`.',
    'default',
  ),
});
