import { deciderSettings } from '@mandate/decider';
import { backendsMustFit, clickhouseSettings, kafkaSettings, redisSettings } from '@mandate/runtime/settings';
import { z } from 'zod';

/**
 * The servers, as every process of the plane is told of them, and the tenants with topics of their own, as deciders are.
 * Any server without the others: not everybody may work on all of them.
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
