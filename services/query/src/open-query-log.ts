/**
 * The log of the query service. It contains the keys of people and agents. The service adds records of who reads
 * what.
 */

import { existsSync } from 'node:fs';
import { type Bus, openLog } from '@mandate/bus';
import { type DataFolder, type Logger, MandateError } from '@mandate/runtime';
import type { KafkaSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';

type Settings = KafkaSettings & { QUERY_RECORD_READS: boolean; CLICKHOUSE_URL?: string | undefined };

/**
 * Returns null if reads are not recorded and only the audit is on a server. Only the keys of the folder are then
 * known.
 *
 * @throws MandateError ACCESS_LOG_MISSING if only the audit is on a server and the folder has no log. Reads would
 *   then go to a file that no recorder reads. Also throws the log's errors about a topic that is missing or unfit.
 */
export async function openQueryLog(
  settings: Settings,
  { folder, log }: { folder: DataFolder; log: Logger },
): Promise<Bus | null> {
  const isOnFile = settings.KAFKA_BROKERS === undefined;
  if (isOnFile && settings.CLICKHOUSE_URL !== undefined && !existsSync(folder.log)) {
    if (!settings.QUERY_RECORD_READS) return null;
    throw new MandateError(
      'ACCESS_LOG_MISSING',
      `reads of the audit must be on the log, and there is no log at ${folder.log}`,
      {
        remedy:
          'Name the log that the recorder reads: MANDATE_KAFKA_BROKERS, or its folder with MANDATE_QUERY_DATA_PATH. MANDATE_QUERY_RECORD_READS=false goes without.',
      },
    );
  }
  const bus = await openLog(settings, { path: folder.log, log });
  try {
    if (settings.QUERY_RECORD_READS) await bus.ranges(TOPICS.access);
    return bus;
  } catch (error) {
    await bus.close();
    throw error;
  }
}
