// The API shows exactly the exposed columns of a row, under the names and in the forms of the wire. A small entity with
// a column of each form. The replies of test/http check that the real entities show everything described.
import 'reflect-metadata';
import { Expose } from 'class-transformer';
import { ExposeAs, ExposeTime, ExposeUsd, viewExposed } from './column-exposure.js';

class Row {
  @Expose()
  id!: string;

  secret!: string;

  @ExposeTime('created_at')
  createdAt!: Date;

  @ExposeTime('updated_at')
  updatedAt!: Date | null;

  @ExposeUsd('limit')
  limitUsd!: bigint | null;

  @ExposeAs('mode', (isClosed) => (isClosed === true ? 'closed' : 'open'))
  isClosed!: boolean;

  @Expose({ name: 'allowed_models' })
  allowedModels!: readonly string[] | null;
}

const ROW: Row = {
  id: 'i',
  secret: 's',
  createdAt: new Date('2030-01-31T12:00:00.001Z'),
  updatedAt: null,
  limitUsd: 250_000_000_000n,
  isClosed: true,
  allowedModels: ['constructor', '__proto__'],
};

describe('viewExposed', () => {
  const expected = {
    id: 'i',
    created_at: '2030-01-31T12:00:00.001Z',
    updated_at: null,
    limit: 0.25,
    mode: 'closed',
    allowed_models: ['constructor', '__proto__'],
  };

  it('shows what is exposed, of rows of the class and of others with its properties', () => {
    expect(viewExposed(Row, Object.assign(new Row(), ROW))).toEqual(expected);
    expect(viewExposed(Row, { ...ROW, stranger: 1 })).toEqual(expected);
  });

  it('keeps null, and does not change the row', () => {
    const nulls = { ...ROW, limitUsd: null, allowedModels: null };
    expect(viewExposed(Row, nulls)).toEqual({ ...expected, limit: null, allowed_models: null });
    expect(nulls).toEqual({ ...ROW, limitUsd: null, allowedModels: null });
  });

  it("does not return the row's own objects", () => {
    const { allowed_models } = viewExposed<{ allowed_models: string[] }>(Row, ROW);
    allowed_models.push('another');
    expect(ROW.allowedModels).toHaveLength(2);
  });
});
