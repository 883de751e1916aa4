"""The spark engine: exploration beyond one machine's memory. Spark is imported only when it is used."""
