"""Messages of Protocol Buffers, described by published numbers of fields."""


def message_class(messages, wanted):
    """
    Returns a class of python3-protobuf. messages has the fields of each message, as "name number
    type"; * is for repeated fields.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    file = descriptor_pb2.FileDescriptorProto(name='messages.proto', package='client')
    for message, fields in messages.items():
        to = file.message_type.add(name=message)
        for name, number, kind in (field.split() for field in fields):
            field = to.field.add(name=name, number=int(number))
            field.label = field.LABEL_REPEATED if kind[0] == '*' else field.LABEL_OPTIONAL
            kind = kind.lstrip('*')
            if kind in messages:
                field.type, field.type_name = field.TYPE_MESSAGE, f'.client.{kind}'
            else:
                field.type = getattr(field, f'TYPE_{kind.upper()}')
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName(f'client.{wanted}')
    return message_factory.MessageFactory(pool).GetPrototype(found)
