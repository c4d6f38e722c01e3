module my-adapter

go 1.23
