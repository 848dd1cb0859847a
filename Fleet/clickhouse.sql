-- The tables of `replay summarize -o summaries` as views of ClickHouse, for the questions in this folder, which need the
-- settings and the function below. Run it in the folder that has the folder summaries.
SET prefer_column_name_to_alias = 1;
SET join_use_nulls = 1;
-- After a join has left out rows of a file, version 26.9 remembers the rest as the number of its rows.
SET use_cache_for_count_from_files = 0;
CREATE FUNCTION IF NOT EXISTS chr AS (number) -> char(number);
CREATE OR REPLACE VIEW sessions AS SELECT * FROM file('summaries/sessions/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW paths AS SELECT * FROM file('summaries/paths/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW projections AS SELECT * FROM file('summaries/projections/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW durations AS SELECT * FROM file('summaries/durations/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW cascades AS SELECT * FROM file('summaries/cascades/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW shapes AS SELECT * FROM file('summaries/shapes/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW actions AS SELECT * FROM file('summaries/actions/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW findings AS SELECT * FROM file('summaries/findings/*/*/*.parquet', Parquet);
CREATE OR REPLACE VIEW failures AS SELECT * FROM file('summaries/failures/*/*/*.parquet', Parquet);
