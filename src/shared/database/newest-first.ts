import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ListPart, Page, RowPosition } from '../http/page.dto.js';

interface Made extends ObjectLiteral {
  readonly createdAt: Date;
}

/**
 * A part of the selected entities, the newest first.
 * @param id orders those of the same moment
 */
export async function listNewest<Entity extends Made>(
  selected: SelectQueryBuilder<Entity>,
  id: keyof Entity & string,
  direction: 'ASC' | 'DESC',
  { offset, limit, after }: Page,
): Promise<ListPart<Entity>> {
  const [at, own] = [`${selected.alias}.createdAt`, `${selected.alias}.${id}`];
  const ordered = selected.addOrderBy(at, 'DESC').addOrderBy(own, direction).limit(limit);
  if (after) {
    // The first condition is that of an index.
    ordered.andWhere(`${at} <= :afterAt AND (${at} < :afterAt OR ${own} ${direction === 'ASC' ? '>' : '<'} :afterId)`, {
      afterAt: after.at,
      afterId: after.ids[0],
    });
    return listed(await ordered.getMany(), 0, id);
  }
  return listed(...(await ordered.offset(offset).getManyAndCount()), id);
}

const listed = <Entity extends Made>(rows: readonly Entity[], total: number, id: keyof Entity): ListPart<Entity> => [
  rows,
  total,
  positionOfLast(rows, (row) => ({ at: row.createdAt, ids: [row[id] as string] })),
];

/** The position of the last of these rows. */
export function positionOfLast<Row>(
  rows: readonly Row[],
  position: (row: Row) => RowPosition,
): RowPosition | undefined {
  const last = rows.at(-1);
  return last && position(last);
}
