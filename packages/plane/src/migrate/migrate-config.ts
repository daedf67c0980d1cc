import { deciderSettings } from '@mandate/decider';
import { backendsMustFit, clickhouseSettings, kafkaSettings, redisSettings } from '@mandate/runtime/settings';
import { z } from 'zod';

/**
 * The settings of the servers, with the same names as in every process of the plane. The setting for tenants with
 * their own topics has the same name as in deciders. Each kind of server may be given alone, because not every person
 * may change all servers.
 */
export const migrateConfig = z
  .object({
    ...kafkaSettings.shape,
    ...redisSettings.shape,
    ...clickhouseSettings.shape,
    ...deciderSettings.pick({ DECIDER_TENANT_TOPICS: true }).shape,
  })
  .superRefine(({ REDIS_NAMESPACE, ...settings }, context) => backendsMustFit(settings, context));
export type MigrateConfig = Readonly<z.output<typeof migrateConfig>>;
