import type { GroupPosition } from '../port.ts';
import { type Connection, withBusErrors } from './connection.ts';
import { Coordinator } from './coordinator.ts';

/**
 * Returns the positions of groups with this name prefix. Each broker answers for the groups that it coordinates, if
 * this user may see them.
 */
export async function groupPositions(
  connection: Connection,
  prefix: string,
  withinMs: number,
): Promise<GroupPosition[]> {
  const groups = await withBusErrors(
    connection,
    async (cluster) => {
      await cluster.refreshMetadata();
      const brokers = cluster.getNodeIds().map((nodeId) => cluster.findBroker({ nodeId }));
      const listed = await Promise.all(brokers.map(async (broker) => (await broker).listGroups()));
      const names = listed.flatMap((one) => one.groups.map(({ groupId }) => groupId));
      return names.filter((name) => name.startsWith(prefix)).sort();
    },
    withinMs,
  );
  const positions = groups.map(async (group) => {
    const partitions = await new Coordinator(connection, group, withinMs).allPositions();
    return partitions.map(({ offset: nextOffset, ...partition }) => ({ group, ...partition, nextOffset }));
  });
  return (await Promise.all(positions)).flat();
}
