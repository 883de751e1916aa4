"""The whole rig: a name server, a broker and clients of one release, each in a JVM of its own, on loopback.

Nothing is held and nothing is collected: threads and timers are RocketMQ's own. So this is for the parts that the other
rig plays or leaves out: the network, files, kills, the administrator's tools.

    with running_cluster(rig) as cluster:
        cluster.create_topic("orders", queues=1, group="shop")
        consumer = cluster.consumer("first", Subscription("orders", "shop"))
        consumer.start()
        cluster.send("orders", ["m0", "m1"])
        time.sleep(5)
        assert len(consumer.deliveries()) == 2
        consumer.kill()
        cluster.committed_offsets("shop", "orders")

Read `cluster` first, then `listening` (what a listener does). A folder's Java sources are in
`java/whole/`; they compile against 4.9.4 and 5.3.3.
"""
