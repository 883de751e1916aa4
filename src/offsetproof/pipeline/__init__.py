"""Work on PySpark: exploration beyond one machine's memory. A module per pipeline; Spark is imported only when used."""
