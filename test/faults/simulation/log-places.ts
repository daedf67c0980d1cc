/** Partitions of the log, and their names as map keys. */
export type Place = { topic: string; partition: number };

export function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}

export function placeNamed(name: string): Place {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

export function placeOf({ topic, partition }: Place): Place {
  return { topic, partition };
}
