-- The tables of `replay summarize -o summaries` as views, for the questions in this folder:
--
--     duckdb -c "SET VARIABLE summaries = 'summaries'" -c ".read Fleet/duckdb.sql" -c ".read Fleet/questions/wasteful-writes.sql"
--
-- A day and a version are text: engines may take 1.10 for the number 1.1.
CREATE OR REPLACE VIEW sessions AS FROM read_parquet(getvariable('summaries') || '/sessions/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW paths AS FROM read_parquet(getvariable('summaries') || '/paths/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW projections AS FROM read_parquet(getvariable('summaries') || '/projections/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW durations AS FROM read_parquet(getvariable('summaries') || '/durations/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW cascades AS FROM read_parquet(getvariable('summaries') || '/cascades/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW shapes AS FROM read_parquet(getvariable('summaries') || '/shapes/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW actions AS FROM read_parquet(getvariable('summaries') || '/actions/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW findings AS FROM read_parquet(getvariable('summaries') || '/findings/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
CREATE OR REPLACE VIEW failures AS FROM read_parquet(getvariable('summaries') || '/failures/*/*/*.parquet',
  union_by_name = true, hive_partitioning = true, hive_types = {'day': VARCHAR, 'version': VARCHAR});
